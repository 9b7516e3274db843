//! Decimal numbers, read and written without the standard library.

use core::fmt;

/// A decimal number without sign or exponent, with at most 17 digits and at most 9 of them behind the point.
pub(super) fn number(text: &str) -> Option<f64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.len() + rest.len();
    if digits == 0 || digits > 17 || rest.len() > 9 {
        return None;
    }
    let mut value = 0_u64;
    let mut scale = 1_u64;
    for digit in whole.bytes().chain(rest.bytes()) {
        let digit = digit.checked_sub(b'0').filter(|&digit| digit < 10)?;
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    for _ in 0..rest.len() {
        scale = scale.checked_mul(10)?;
    }
    Some(value as f64 / scale as f64)
}

/// Writes a number so that [`number`] reads it again, up to nine digits behind the point.
pub(super) fn write_number(out: &mut impl fmt::Write, number: f64) -> fmt::Result {
    const SCALE: u64 = 1_000_000_000;
    let whole = libm::trunc(number);
    let mut units = whole as u64;
    let mut parts = libm::round((number - whole) * SCALE as f64) as u64;
    if parts >= SCALE {
        (units, parts) = (units + 1, 0);
    }
    write_digits(out, units, 1)?;
    if parts == 0 {
        return Ok(());
    }
    let mut places = 9;
    while parts % 10 == 0 && places > 1 {
        (parts, places) = (parts / 10, places - 1);
    }
    out.write_str(".")?;
    write_digits(out, parts, places)
}

/// Writes a number with at least this many digits. The standard library's formatting contains a panic in the linked
/// library.
pub(super) fn write_digits(out: &mut impl fmt::Write, number: u64, least: usize) -> fmt::Result {
    let mut digits = [0_u8; 20];
    let mut rest = number;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        if rest == 0 && count >= least {
            break;
        }
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
    }
    let written = digits.get(digits.len() - count..).unwrap_or_default();
    out.write_str(core::str::from_utf8(written).unwrap_or_default())
}
