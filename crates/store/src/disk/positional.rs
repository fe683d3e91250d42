//! Positional JSON: structures as arrays of their fields, in order, since names take longer to read than what they name.
//!
//! Derived readers take both forms. What is written so belongs to one version of its types: fields are told by place.

use serde::ser::{self, Serialize, Serializer};

/// The bytes of a value.
pub(crate) fn to_vec(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Positional(value))
}

struct Positional<'v, T: ?Sized>(&'v T);

impl<T: Serialize + ?Sized> Serialize for Positional<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Arrays(serializer))
    }
}

/// A serializer whose structures are tuples, all the way down.
struct Arrays<S>(S);

/// What is inside of a list, a map, a tuple or a structure.
struct Inside<C>(C);

macro_rules! pass_on {
    ($($name:ident($type:ty);)*) => {
        $(fn $name(self, value: $type) -> Result<S::Ok, S::Error> { self.0.$name(value) })*
    };
}

impl<S: Serializer> Serializer for Arrays<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Inside<S::SerializeSeq>;
    type SerializeTuple = Inside<S::SerializeTuple>;
    type SerializeTupleStruct = Inside<S::SerializeTuple>;
    type SerializeStruct = Inside<S::SerializeTuple>;
    type SerializeMap = Inside<S::SerializeMap>;
    type SerializeTupleVariant = ser::Impossible<S::Ok, S::Error>;
    type SerializeStructVariant = ser::Impossible<S::Ok, S::Error>;

    pass_on! {
        serialize_bool(bool); serialize_i8(i8); serialize_i16(i16); serialize_i32(i32); serialize_i64(i64);
        serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64); serialize_f32(f32);
        serialize_f64(f64); serialize_char(char); serialize_str(&str); serialize_bytes(&[u8]);
        serialize_unit_struct(&'static str);
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Positional(value))
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Positional(value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(name, index, variant, &Positional(value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.0.serialize_seq(length).map(Inside)
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.0.serialize_tuple(length).map(Inside)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTuple, S::Error> {
        self.serialize_tuple(length)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self::SerializeStruct, S::Error> {
        self.serialize_tuple(length)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.0.serialize_map(length).map(Inside)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        Err(ser::Error::custom(format!("{name} has a form that is not written by position")))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        Err(ser::Error::custom(format!("{name} has a form that is not written by position")))
    }
}

impl<C: ser::SerializeSeq> ser::SerializeSeq for Inside<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.0.serialize_element(&Positional(value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

impl<C: ser::SerializeTuple> ser::SerializeTuple for Inside<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.0.serialize_element(&Positional(value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

impl<C: ser::SerializeTuple> ser::SerializeTupleStruct for Inside<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.0.serialize_element(&Positional(value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

impl<C: ser::SerializeTuple> ser::SerializeStruct for Inside<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), C::Error> {
        self.0.serialize_element(&Positional(value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

impl<C: ser::SerializeMap> ser::SerializeMap for Inside<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        self.0.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.0.serialize_value(&Positional(value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::to_vec;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Outer {
        name: String,
        inner: Vec<Inner>,
        more: Option<Box<Outer>>,
        map: std::collections::BTreeMap<String, Inner>,
        newest: u8,
    }

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Inner {
        place: (u64, f64),
        is_last: bool,
    }

    #[test]
    fn structures_are_written_as_arrays_and_read_back() {
        let inner = |is_last| Inner { place: (7, 0.1), is_last };
        let value = Outer {
            name: "a \"name\"".into(),
            inner: vec![inner(false), inner(true)],
            more: Some(Box::default()),
            map: [("key".to_owned(), inner(true))].into(),
            newest: 3,
        };
        let written = String::from_utf8(to_vec(&value).unwrap()).unwrap();
        assert_eq!(
            written,
            r#"["a \"name\"",[[[7,0.1],false],[[7,0.1],true]],["",[],null,{},0],{"key":[[7,0.1],true]},3]"#
        );
        assert_eq!(serde_json::from_str::<Outer>(&written).unwrap(), value);
        let older: Outer = serde_json::from_str(r#"["older",[],null,{}]"#).unwrap();
        assert_eq!(older, Outer { name: "older".into(), ..Outer::default() }, "a field that came later");
    }
}
