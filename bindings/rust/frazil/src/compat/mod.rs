// SPDX-License-Identifier: MIT
//! The names of systems that frazil replaces.

pub mod sfid;
