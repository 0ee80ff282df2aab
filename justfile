# Short names for the project's commands. Everything works without `just` too.

# List the recipes.
default:
    @just --list

# Everything a change must pass; `.ci/run` runs the same.
ci:
    cargo xtask test

# The same, with options such as `--strict`.
test *ARGS:
    cargo xtask test {{ARGS}}

# Show what the product does, in a temporary folder.
demo:
    cargo run --release -- demo

# Format all code.
fmt:
    cargo fmt --all

# Lint all code; warnings are errors.
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# Rewrite inline snapshots. Read the difference before you commit it.
bless:
    UPDATE_EXPECT=1 cargo test --workspace

# The reliability programme: kills, seeds, histories, flipped bits, hostile entries, fuzzing.
torture *ARGS:
    cargo xtask torture {{ARGS}}

# Fuzz every target for a minute, or a short run with `--smoke`.
fuzz *ARGS:
    cargo xtask fuzz {{ARGS}}

# Measure.
bench *ARGS:
    cargo xtask bench {{ARGS}}

# Every bench and evaluation, and what got worse; `--quick --write` keeps the page.
score *ARGS:
    cargo xtask score {{ARGS}}

# Check links of all pages.
links:
    cargo xtask links

# Check licences, bans and sources of all dependencies.
deny:
    cargo xtask deny

# Build the static release binary.
dist:
    cargo xtask dist
