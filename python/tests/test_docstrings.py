"""Everything public has a docstring, and the examples in docstrings are right."""

import doctest
import inspect

import pytest
import surefill


def documented():
    """The package and its public classes, functions, methods and attributes: pairs of a name and an object.

    doctest's own finder leaves out attributes, and functions of the extension module.
    """
    yield "surefill", surefill
    for name in surefill.__all__:
        thing = getattr(surefill, name)
        if not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue
        yield name, thing
        if inspect.isclass(thing):
            for member in vars(thing):
                if not member.startswith("_"):
                    value = getattr(thing, member)
                    if inspect.isroutine(value) or inspect.isdatadescriptor(value):
                        yield f"{name}.{member}", value


EVERYTHING = dict(documented())


def examples(name):
    docstring = inspect.getdoc(EVERYTHING[name]) or ""
    return doctest.DocTestParser().get_doctest(docstring, dict(vars(surefill)), name, None, None)


def test_all_of_it_is_found():
    for name in ("compare", "Pass", "Pass.decide", "Distribution.single", "Job.number", "Replay.jobs"):
        assert name in EVERYTHING
    assert len(EVERYTHING) > 70


@pytest.mark.parametrize("name", EVERYTHING)
def test_docstrings_say_something(name):
    docstring = inspect.getdoc(EVERYTHING[name]) or ""
    assert "\n" in docstring or len(docstring) >= 30
    assert "See" not in docstring and "__init__" not in docstring
    for line in docstring.split("\n"):
        assert len(line) <= 120


@pytest.mark.parametrize("name", [name for name in EVERYTHING if examples(name).examples])
def test_examples(name):
    result = doctest.DocTestRunner(verbose=False).run(examples(name))
    assert result.attempted > 0 and result.failed == 0


def test_what_is_asked_first_has_an_example():
    functions = ("simulate", "compare", "what_if", "import_log", "predict_wait")
    for name in ("Predictor", "Pass", "Waits", "Sizing", "Distribution", *functions):
        assert len(examples(name).examples) > 1, name


def test_help_shows_them():
    import pydoc

    text = pydoc.plain(pydoc.render_doc(surefill.Pass))
    for words in ("Nissimov & Feitelson 2007", "Raises KeyError for another criterion", "head_start_quantile(self"):
        assert words in text
