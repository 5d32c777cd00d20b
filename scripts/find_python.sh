#!/bin/sh
# Print the first Python that can make a virtual environment for Opwright: 3.10 or newer, with venv.
# A candidate that was asked for ($PYTHON) is the only one looked at.
tried=""
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10 python}; do
  path=$(command -v "$candidate" 2>/dev/null) || { tried="$tried
  $candidate: not found"; continue; }
  if ! version=$("$path" -c 'import sys; print("%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 10))' 2>&1); then
    tried="$tried
  $path: is ${version:-broken}, and 3.10 or newer is needed"
    continue
  fi
  if ! "$path" -c 'import venv, ensurepip' 2>/dev/null; then
    tried="$tried
  $path: $version lacks the venv module (Debian, Ubuntu: apt-get install python3-venv)"
    continue
  fi
  echo "$path"
  exit 0
done
printf '%s\n' "No Python that Opwright can use was found. Looked at:$tried" \
  "Install Python 3.10 or newer, or name one: make demo PYTHON=/path/to/python3" >&2
exit 1
