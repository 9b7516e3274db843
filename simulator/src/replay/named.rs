//! Values known by their names alone, and lists of values by name.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// An entry of the registry ([`crate::replay::registry`]).
struct Entry<B: ?Sized> {
    name: String,
    about: String,
    build: Box<B>,
}

/// A value known by its name; `B` is the function that makes it for one replay.
pub struct Named<B: ?Sized + 'static>(&'static Entry<B>);

impl<B: ?Sized> Named<B> {
    /// An entry that lives as long as the process.
    pub(crate) fn new(name: &str, about: &str, build: Box<B>) -> Named<B> {
        Named(Box::leak(Box::new(Entry { name: name.to_owned(), about: about.to_owned(), build })))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// The function that makes it.
    pub fn build(self) -> &'static B {
        &self.0.build
    }

    pub(crate) fn value(self) -> PossibleValue {
        PossibleValue::new(self.name()).help(self.0.about.as_str())
    }
}

impl<B: ?Sized> Clone for Named<B> {
    fn clone(&self) -> Named<B> {
        *self
    }
}

impl<B: ?Sized> Copy for Named<B> {}

impl<B: ?Sized> PartialEq for Named<B> {
    fn eq(&self, other: &Named<B>) -> bool {
        std::ptr::addr_eq(self.0, other.0)
    }
}

impl<B: ?Sized> Eq for Named<B> {}

impl<B: ?Sized> fmt::Debug for Named<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<B: ?Sized> Serialize for Named<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Reason why a name cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It could not be written in a list of policies.
    #[error("'{0}' is no name: letters, digits and + . _ - only")]
    Letters(String),
    /// It is built in.
    #[error("'{0}' is the name of a built-in one")]
    Taken(String),
}

/// The values of one kind by name: built-in ones first, in a fixed order.
pub(crate) struct Names<T: 'static> {
    built_in: fn() -> Vec<T>,
    all: RwLock<Option<&'static [T]>>,
}

impl<T: ValueEnum + Copy> Names<T> {
    pub(crate) const fn new(built_in: fn() -> Vec<T>) -> Names<T> {
        Names { built_in, all: RwLock::new(None) }
    }

    /// All there are now. A list that has been handed out stays as it was.
    pub(crate) fn all(&self) -> &'static [T] {
        let known = *self.all.read().unwrap_or_else(PoisonError::into_inner);
        known.unwrap_or_else(|| {
            let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
            all.get_or_insert_with(|| (self.built_in)().leak())
        })
    }

    /// Adds a value; no built-in value may have its name.
    pub(crate) fn add(&self, name: &str, value: T) -> Result<(), BadName> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+._-".contains(&byte);
        if name.is_empty() || !name.bytes().all(letter) {
            return Err(BadName::Letters(name.to_owned()));
        }
        let same = |other: &T| {
            other.to_possible_value().is_some_and(|other| other.get_name().eq_ignore_ascii_case(name))
        };
        let built_in = (self.built_in)();
        if built_in.iter().any(same) {
            return Err(BadName::Taken(name.to_owned()));
        }
        let known = self.all();
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let others = known.iter().copied().filter(|other| !same(other));
        let more: Vec<T> = others.chain([value]).collect();
        // A few words for every entry of a process.
        *all = Some(more.leak());
        Ok(())
    }
}
