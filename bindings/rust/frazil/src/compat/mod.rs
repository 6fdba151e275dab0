// SPDX-License-Identifier: MIT
//! Modules with the names of crates that frazil replaces.

pub mod sfid;
