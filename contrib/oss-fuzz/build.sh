#!/usr/bin/env bash
# Builds the fuzz targets for OSS-Fuzz, which runs it in the image of the Dockerfile
# beside it. The base of that image has compile_native_go_fuzzer_v2.
#
# build.sh --native [PACKAGE...] builds the same targets for Go's own engine and runs
# their seeds, which needs nothing of OSS-Fuzz. The binaries go to the folder OUT; without
# it they are removed.
#
# A target that the base can't build is named at the end: it replaces testing.T, which
# testing/synctest and some packages of tests need. .ci/fuzz runs those.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ -e ../../.ci/fuzz-targets ] || cd "$SRC/locus/contrib/oss-fuzz"
cd ../..

# fuzzer_name NAME prints a name for a binary: "./scheme/ftp/FuzzReply" is scheme_ftp_FuzzReply.
fuzzer_name() {
  local name=${1#./}
  printf '%s\n' "${name//\//_}"
}

# build_native builds a binary for each package of the main module, and runs the seeds.
build_native() {
  local last='' name module package target binary
  while read -r name module package target; do
    if [ "$package" != "$last" ]; then
      last=$package
      # What is built only to be tried takes the space of one package.
      [ -z "$temporary" ] || rm -f "$temporary"/*
      binary=${OUT:-$temporary}/$(fuzzer_name "${name%/*}").test
      go test -c -trimpath -ldflags '-s -w' -fuzz . -o "$binary" "$package"
    fi
    (cd "${name%/*}" && "$binary" -test.run "^$target\$" </dev/null >/dev/null) || { printf '%s fails\n' "$name" >&2; return 1; }
    fuzzer_name "$name"
  done < <(.ci/fuzz-targets "$@" | awk '$2 == "."')
}

build_oss_fuzz() {
  local skipped=() name module package target
  go get github.com/AdamKorcz/go-118-fuzz-build/testing
  # The base rewrites files to build a target, and leaves them so if that fails.
  git -c user.name=build -c user.email=build@localhost commit -q -a -m 'build'
  while read -r name module package target; do
    compile_native_go_fuzzer_v2 "$package" "$target" "$(fuzzer_name "$name")" || true
    [ -e "$OUT/$(fuzzer_name "$name")" ] || skipped+=("$name")
    git checkout -q .
    git clean -fdq
  done < <(.ci/fuzz-targets | awk '$2 == "."')
  [ ${#skipped[@]} -eq 0 ] || printf 'not built: %s\n' "${skipped[@]}"
}

if [ "${1-}" = --native ]; then
  shift
  temporary=
  if [ -z "${OUT-}" ]; then
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"' EXIT
  fi
  build_native "$@"
else
  build_oss_fuzz
fi
