//! Which vector instructions are used: chosen once, when the process first asks.

use std::sync::OnceLock;

/// A set of vector instructions that the arithmetic is compiled for. They differ in speed, not in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// 512 bits with 8-bit products: servers since 2019.
    Avx512Vnni,
    /// 256 bits with 8-bit products: laptops since 2021.
    AvxVnni,
    /// 512 bits: servers since 2017.
    Avx512,
    /// 256 bits: nearly every x86 machine since 2013.
    Avx2,
    /// What every machine of the target has.
    Scalar,
}

impl Simd {
    /// The environment variable that chooses another path than the best, for tests and measurements.
    pub const VARIABLE: &str = "KEN_SIMD";

    const ALL: [Simd; 5] = [Simd::Avx512Vnni, Simd::AvxVnni, Simd::Avx512, Simd::Avx2, Simd::Scalar];

    /// The paths that this machine can take, the best first. `Scalar` is always the last.
    pub fn available() -> Vec<Simd> {
        Simd::ALL.into_iter().filter(|simd| simd.detected()).collect()
    }

    /// The name used in [`Simd::VARIABLE`].
    pub fn name(self) -> &'static str {
        match self {
            Simd::Avx512Vnni => "avx512",
            Simd::AvxVnni => "avxvnni",
            Simd::Avx512 => "avx512bw",
            Simd::Avx2 => "avx2",
            Simd::Scalar => "scalar",
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn detected(self) -> bool {
        let avx2 = || is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
        let avx512 = || {
            avx2()
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
        };
        match self {
            Simd::Avx512Vnni => avx512() && is_x86_feature_detected!("avx512vnni"),
            Simd::AvxVnni => avx2() && is_x86_feature_detected!("avxvnni"),
            Simd::Avx512 => avx512(),
            Simd::Avx2 => avx2(),
            Simd::Scalar => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detected(self) -> bool {
        self == Simd::Scalar
    }
}

/// A path that this machine can take: holding one is the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path(Simd);

impl Path {
    /// The best path, or the one named in the environment where this machine has it.
    pub(crate) fn chosen() -> Path {
        static CHOSEN: OnceLock<Path> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let named = std::env::var(Simd::VARIABLE).unwrap_or_default();
            let mut available = Simd::available().into_iter();
            let best = available.next().unwrap_or(Simd::Scalar);
            Path(available.find(|simd| simd.name() == named).unwrap_or(best))
        })
    }

    /// The path for some instructions, if this machine has them.
    pub(crate) fn for_simd(simd: Simd) -> Option<Path> {
        simd.detected().then_some(Path(simd))
    }

    pub(crate) fn simd(self) -> Simd {
        self.0
    }
}

/// Compiles a portable function once for each path, and calls the right one.
///
/// The portable function must be `#[inline(always)]`, or it is compiled for the plainest machine only.
macro_rules! compiled_for_each_path {
    ($(#[$attribute:meta])* $visible:vis fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $portable:path) => {
        $(#[$attribute])*
        $visible fn $name(path: $crate::simd::Path, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512($($argument: $type),*) $(-> $result)? {
                $portable($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($argument: $type),*) $(-> $result)? {
                $portable($($argument),*)
            }
            match path.simd() {
                // SAFETY: a `Path` of these kinds exists only where all these features were detected.
                #[cfg(target_arch = "x86_64")]
                $crate::Simd::Avx512Vnni | $crate::Simd::Avx512 => unsafe { avx512($($argument),*) },
                // SAFETY: a `Path` of these kinds exists only where both features were detected.
                #[cfg(target_arch = "x86_64")]
                $crate::Simd::AvxVnni | $crate::Simd::Avx2 => unsafe { avx2($($argument),*) },
                #[cfg(not(target_arch = "x86_64"))]
                $crate::Simd::Avx512Vnni | $crate::Simd::AvxVnni | $crate::Simd::Avx512 | $crate::Simd::Avx2 => {
                    $portable($($argument),*)
                }
                $crate::Simd::Scalar => $portable($($argument),*),
            }
        }
    };
}
pub(crate) use compiled_for_each_path;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_path_is_always_there_and_last() {
        assert_eq!(Simd::available().last(), Some(&Simd::Scalar));
        assert!(Path::for_simd(Path::chosen().simd()).is_some());
    }
}
