#!/usr/bin/env bash
# Builds the fuzz targets for OSS-Fuzz. OSS-Fuzz runs this script in the image of the
# Dockerfile in this directory, whose base image contains compile_native_go_fuzzer_v2.
#
# build.sh --native [PACKAGE...] builds the same targets for Go's own engine and runs
# their seeds. This mode does not need OSS-Fuzz. If OUT is set, the script writes the
# binaries to that directory; otherwise it removes them.
#
# At the end the script prints the targets that it could not build: the compiler replaces
# testing.T, which testing/synctest and some test helpers need. .ci/fuzz runs these targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ -e ../../.ci/fuzz-targets ] || cd "$SRC/locus/contrib/oss-fuzz"
cd ../..

# fuzzer_name NAME prints a name for a binary: "./scheme/ftp/FuzzReply" is scheme_ftp_FuzzReply.
fuzzer_name() {
  local name=${1#./}
  printf '%s\n' "${name//\//_}"
}

# build_native builds a binary for each package of the main module and runs the seeds.
build_native() {
  local last='' name module package target binary
  while read -r name module package target; do
    if [ "$package" != "$last" ]; then
      last=$package
      # Temporary binaries are removed one by one to save disk space.
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
  # The compiler rewrites files, and does not restore them if a build fails.
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
