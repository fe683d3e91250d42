//! Loose fields: a value of another type than expected is as good as missing, and costs its neighbours nothing.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value that may be there.
#[derive(Debug)]
pub(super) struct Loose<T>(pub(super) Option<T>);

impl<T> Default for Loose<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// What a field can be read from; everything else is `None`.
pub(super) trait FromJson: Sized {
    fn from_text(_: &str) -> Option<Self> {
        None
    }

    fn from_whole(_: u64) -> Option<Self> {
        None
    }

    fn from_number(_: f64) -> Option<Self> {
        None
    }

    fn from_flag(_: bool) -> Option<Self> {
        None
    }

    fn from_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl FromJson for String {
    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl FromJson for bool {
    fn from_flag(flag: bool) -> Option<Self> {
        Some(flag)
    }
}

impl FromJson for u64 {
    fn from_whole(number: u64) -> Option<Self> {
        Some(number)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked right before")]
    fn from_number(number: f64) -> Option<Self> {
        (0.0..9e15).contains(&number).then_some(number as Self)
    }
}

impl FromJson for f64 {
    #[expect(clippy::cast_precision_loss, reason = "a number that is shown")]
    fn from_whole(number: u64) -> Option<Self> {
        Some(number as Self)
    }

    fn from_number(number: f64) -> Option<Self> {
        number.is_finite().then_some(number)
    }
}

/// An object whose own fields are loose.
#[derive(Debug)]
pub(super) struct Object<T>(pub(super) T);

impl<T: for<'a> Deserialize<'a>> FromJson for Object<T> {
    fn from_object<'de, A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|object| Some(Self(object)))
    }
}

impl<'de, T: FromJson> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData)).map(Self)
    }
}

struct Any<T>(PhantomData<T>);

impl<'de, T: FromJson> Visitor<'de> for Any<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(T::from_flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::from_whole(number))
    }

    #[expect(clippy::cast_precision_loss, reason = "a negative number; where one is welcome it is shown")]
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(T::from_number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(T::from_number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::from_text(text))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::from_object(map)
    }
}
