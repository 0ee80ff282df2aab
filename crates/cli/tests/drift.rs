//! Drift (DRI-1): what nobody keeps up is told with a reason, and put away only as a person says.
