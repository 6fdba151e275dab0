// SPDX-License-Identifier: MIT
//! Ids in serde: text in human-readable formats, as JSON numbers are not exact above 2^53; numbers and bytes in others.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{Id, Sno};

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u64(self.0)
        }
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id as a string of decimal digits, or as a whole number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
        Ok(Id(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id, E> {
        Id::from_i64(number).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(IdVisitor)
        } else {
            deserializer.deserialize_u64(IdVisitor)
        }
    }
}

impl Serialize for Sno {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            serializer.serialize_bytes(&self.0)
        } else if self.is_zero() {
            serializer.serialize_none()
        } else {
            serializer.serialize_str(&self.text())
        }
    }
}

struct SnoVisitor;

impl Visitor<'_> for SnoVisitor {
    type Value = Sno;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sno of 16 characters, its ten bytes, or null")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Sno, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Sno, E> {
        Sno::try_from(bytes).map_err(E::custom)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Sno, E> {
        Ok(Sno::default())
    }

    fn visit_none<E: de::Error>(self) -> Result<Sno, E> {
        Ok(Sno::default())
    }
}

impl<'de> Deserialize<'de> for Sno {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sno, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(SnoVisitor)
        } else {
            deserializer.deserialize_bytes(SnoVisitor)
        }
    }
}
