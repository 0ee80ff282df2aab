//! The files that pages refer to, compiled into the program.

/// A file that pages refer to. Pages name it with a mark of its bytes (`?v=...`), so that it may be cached for ever.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    pub bytes: &'static [u8],
    /// Its content type, such as `text/css; charset=utf-8`.
    pub kind: &'static str,
}

/// A file that pages refer to, such as `style.css`.
pub fn asset(name: &str) -> Option<Asset> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, asset)| *asset)
}

/// Where a page finds a file: its name, and a mark that changes when its bytes do.
pub(crate) fn address(name: &str) -> String {
    let mark = asset(name).map(|asset| mark(asset.bytes)).unwrap_or_default();
    format!("/assets/{name}?v={mark:08x}")
}

/// FNV-1a: it only has to differ from version to version.
fn mark(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |mark, byte| (mark ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($name:literal $path:literal $kind:expr,)*) => {
        &[$(($name, Asset { bytes: include_bytes!(concat!("../assets/", $path)), kind: $kind }),)*]
    };
}

const FILES: &[(&str, Asset)] = files! {
    "style.css" "style.css" STYLE,
    "app.js" "app.js" SCRIPT,
    "charts.js" "charts.js" SCRIPT,
    "graph.js" "graph.js" SCRIPT,
    "icon.svg" "icon.svg" "image/svg+xml",
    "htmx.js" "vendor/htmx.min.js" SCRIPT,
    "uplot.js" "vendor/uplot.min.js" SCRIPT,
    "uplot.css" "vendor/uplot.min.css" STYLE,
    "d3-force.js" "vendor/d3-force.min.js" SCRIPT,
};
