#!/usr/bin/env bash
# The Python package: builds the wheel, installs it into an empty environment, runs tests, doctests and the notebook.
#
# check-python.sh [BUILD]: wheel and environment are kept below BUILD/python (build/python). Python 3.9 or later with venv is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath -m "${1:-build}")/python
python=${PYTHON:-python3}
if ! "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    echo "SKIPPED: no Python with venv"
    exit 0
fi
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export PIP_DISABLE_PIP_VERSION_CHECK=1

# Like the core: no warnings. In the workspace's folder and with its settings, where most of it has been looked at already.
CARGO_TARGET_DIR=$target \
    cargo clippy --quiet --manifest-path python/Cargo.toml -- -D warnings
cargo fmt --manifest-path python/Cargo.toml --check

# In the profile of the tests it is built soonest; before a release as for its users.
[ "${TOOL_PROFILE:-}" = release ] && profile=release || profile=dev
export CARGO_TARGET_DIR=$target MATURIN_PEP517_ARGS="--profile $profile"

# The command, whose JSON is beside the answers in the tests.
if [ ! -x "${SUREFILL_BIN:-}" ]; then
    cargo build --quiet --profile "$profile" -p surefill-simulator --bin surefill
    export SUREFILL_BIN=$target/${profile/#dev/debug}/surefill
fi

rm -rf "$build/wheel" "$build/venv"
mkdir -p "$build"
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$build/wheel" ./python
ls "$build/wheel"/surefill-*-abi3-*.whl

"$python" -m venv "$build/venv"
"$build/venv/bin/pip" install --quiet --no-compile --only-binary :all: "$build/wheel"/surefill-*.whl \
    pytest pandas polars pyarrow nbclient nbformat ipykernel mypy
# Without it its test is skipped, and says so.
"$build/venv/bin/pip" install --quiet --no-compile evalys || echo "SKIPPED: evalys does not install"

# From another folder, so that it is the installed package.
tests=$(realpath python/tests) notebook=$(realpath docs/tutorial.ipynb)
cd "$build"
venv/bin/python -m pytest -q -rs -p no:cacheprovider "$tests"
venv/bin/python -m mypy --no-error-summary --cache-dir mypy --ignore-missing-imports -c 'import surefill
frame: object = surefill.compare("t", ["easy"]).to_pandas()
waits: list[int] = surefill.simulate("t", nodes="4x(cores=8)", tau=0.1).jobs["wait_s"]
bound: int | None = surefill.predict_wait("t").bound_s
earlier: float = surefill.what_if("t").all.earlier'
venv/bin/python - "$notebook" << 'PYTHON'
import pathlib
import sys

import nbclient
import nbformat

path = pathlib.Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells executed")
PYTHON
