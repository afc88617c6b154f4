#!/usr/bin/env bash
# The steps of a check in CI. Each is a word: install, run, diff, page, summary, verdict. What they work on comes in
# variables, never as text that a shell would read:
#
#   CONFORMANCE_PACKAGE   what pip installs; empty: conformance is there already
#   CONFORMANCE_ADAPTER   the adapter, as 'conformance run' takes it
#   CONFORMANCE_ARGS      more words for 'conformance run', separated by blanks
#   CONFORMANCE_BASELINE  a file of known failures; empty: none
#   CONFORMANCE_BEFORE    a result to compare with; empty, or not there: nothing is compared
#   CONFORMANCE_OUT       the folder for what is written
#
# 'run' and 'diff' write their exit codes down and go on, so that later steps can show what was found; 'verdict' ends with
# them. Exit codes are those of 'conformance': 0 conforms, 1 a rule failed or something is worse, 4 nothing ran.
set -euo pipefail

out=${CONFORMANCE_OUT:-conformance-results}
summary=${GITHUB_STEP_SUMMARY:-$out/summary.md}
mkdir -p "$out"

step_install() {
  if [ -n "${CONFORMANCE_PACKAGE-}" ]; then
    python -m pip install --quiet "$CONFORMANCE_PACKAGE"
  fi
  conformance --version
}

step_run() {
  local words=()
  read -r -a words <<<"${CONFORMANCE_ARGS-}" || true
  [ -z "${CONFORMANCE_BASELINE-}" ] || words+=(--baseline "$CONFORMANCE_BASELINE")
  local code=0
  conformance run "${CONFORMANCE_ADAPTER:?}" ${words[@]+"${words[@]}"} \
    --out "$out/result.json" --out "$out/junit.xml" --out "$out/result.md" || code=$?
  echo "$code" >"$out/run.code"
}

step_diff() {
  rm -f "$out/diff.code" "$out/diff.md"
  if [ -z "${CONFORMANCE_BEFORE-}" ] || [ ! -f "$CONFORMANCE_BEFORE" ]; then
    echo "conformance: no earlier result to compare with"
    return
  fi
  local code=0
  conformance diff "$CONFORMANCE_BEFORE" "$out/result.json" --format markdown >"$out/diff.md" || code=$?
  echo "$code" >"$out/diff.code"
}

step_page() {
  if [ -f "$out/result.json" ]; then
    conformance report "$out/result.json" --out "$out/page"
  fi
}

step_summary() {
  # A summary may have a mebibyte.
  {
    [ ! -f "$out/diff.md" ] || cat "$out/diff.md"
    [ ! -f "$out/result.md" ] || cat "$out/result.md"
  } | head -c 1000000 >>"$summary"
}

step_verdict() {
  local code worst=0 name
  for name in run diff; do
    if [ -f "$out/$name.code" ]; then
      code=$(cat "$out/$name.code")
      echo "conformance $name: exit code $code"
      [ "$worst" -ne 0 ] || worst=$code
    fi
  done
  [ -f "$out/run.code" ] || worst=4
  return "$worst"
}

for step in "$@"; do
  "step_$step"
done
