//! How `ken` is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    // Decision 0043: tables full of addresses would be adjusted page by page whenever a command starts. A static binary is told so by the
    // flags of `cargo xtask dist`: with this argument the linker would have it ask for a loader.
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
