//! Models as the generator writes them, with their rows.

use proptest::prelude::*;

use crate::codec::{Kinds, Shape};
use crate::table::{Array, Content, ContentFormat, Field, Integer, Literal, Schema, Text, Xml};
use crate::types::{Map, Nullable};

/// A model with every form of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shop {
    pub id: i64,
    pub rating: Option<f64>,
    pub color: Option<i64>,
    pub name: String,
    pub is_open: Option<Nullable<bool>>,
    pub tags: Vec<String>,
    pub photos: Option<Vec<String>>,
    pub items: Option<Vec<Item>>,
    pub size: Option<Size>,
    pub labels: Option<Map<String>>,
    pub inner: Option<Box<Shop>>,
    pub pair: Option<(i64, String)>,
}

/// An element with attributes and text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub unit: Option<String>,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Size {
    Number(i64),
    Box(Sides),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sides {
    pub width: i64,
    pub height: i64,
}

crate::object! {
    Shop;
    id,
    [rating],
    (color),
    name,
    "isOpen" => [is_open],
    tags,
    [photos],
    [items],
    [size],
    [labels],
    [inner],
    [pair],
}

crate::object! {
    closed Item;
    [unit],
    value,
}

crate::object! {
    Sides;
    width,
    height,
}

crate::union! {
    Size;
    Number(i64) => Shape::new("number", Kinds::INTEGER),
    Box(Sides) => Shape::object("box").required(&["width", "height"]).known(&["width", "height"]),
}

pub(super) static ITEM: Schema = Schema::closed_object(&[
    Field::optional("unit", &Schema::TEXT).xml(&Xml::attribute("unit")),
    Field::required("value", &Schema::TEXT).xml(&Xml::TEXT),
]);

static SIDES: Schema = Schema::object(&[
    Field::required("width", &Schema::integer(Integer::ANY.minimum(1))).xml(&Xml::attribute("w")),
    Field::required("height", &Schema::integer(Integer::ANY.minimum(1))).xml(&Xml::attribute("h")),
]);

pub(super) static SIZE: Schema = Schema::union(Size::SHAPE, &[&Schema::INTEGER, &SIDES]);

static PHOTOS: Schema = Array::new(&Schema::TEXT).max_items(3).schema();

pub(super) static SHOP: Schema = Schema::object(&[
    Field::required("id", &Schema::integer(Integer::ANY.minimum(0))).xml(&Xml::attribute("id")),
    Field::optional("rating", &Schema::NUMBER)
        .xml(&Xml::attribute("rating").prefix("s").namespace("https://shop.example/s")),
    Field::required("color", &Schema::INTEGER.nullable()).xml(&Xml::attribute("color")),
    Field::required("name", &Schema::text(Text::ANY.max_length(20))),
    Field::optional("isOpen", &Schema::BOOLEAN.nullable()).xml(&Xml::element("open")),
    Field::required("tags", &Schema::array(&Schema::TEXT)),
    Field::optional("photos", &PHOTOS).xml(&Xml::element("pictures").items(&[Xml::element("picture")])),
    Field::optional("items", &Schema::array(&ITEM)).xml(&Xml::NONE.items(&[Xml::element("item")])),
    Field::optional("size", &SIZE),
    Field::optional("labels", &Schema::map(&Schema::TEXT))
        .xml(&Xml::element("labels").prefix("s").namespace("https://shop.example/s")),
    Field::optional("inner", &SHOP),
    Field::optional("pair", &Schema::tuple(&[&Schema::INTEGER, &Schema::TEXT]))
        .xml(&Xml::element("pair").items(&[Xml::element("one"), Xml::element("two")])),
]);

pub(super) static ROOT: Xml = Xml::element("shop").namespace("https://shop.example/");

pub(super) fn shop(id: i64) -> Shop {
    Shop {
        id,
        rating: None,
        color: None,
        name: String::new(),
        is_open: None,
        tags: Vec::new(),
        photos: None,
        items: None,
        size: None,
        labels: None,
        inner: None,
        pair: None,
    }
}

/// Generates any text that XML can contain.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "[ \t\n\r<>&\"'\\]a-c]{0,8}",
        any::<String>()
            .prop_filter("XML has no control characters", |text| super::super::form::is_text(text)),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    (proptest::option::of(text()), text()).prop_map(|(unit, value)| Item { unit, value })
}

/// Generates any shop that XML can represent: an optional array without an element around it is not empty.
pub(super) fn any_shop() -> impl Strategy<Value = Shop> {
    let (shop, inner) = (flat_shop(), flat_shop());
    (shop, proptest::option::of(inner))
        .prop_map(|(outer, inner)| Shop { inner: inner.map(Box::new), ..outer })
}

/// Generates any shop without another one in it.
fn flat_shop() -> impl Strategy<Value = Shop> {
    let leaf = (
        (any::<i64>(), proptest::option::of(any::<i32>()), proptest::option::of(any::<i64>()), text()),
        (
            proptest::option::of(proptest::option::of(any::<bool>())),
            proptest::collection::vec(text(), 0..4),
            proptest::option::of(proptest::collection::vec(text(), 0..4)),
            proptest::option::of(proptest::collection::vec(item(), 1..4)),
        ),
        (
            proptest::option::of(prop_oneof![
                any::<i64>().prop_map(Size::Number),
                (any::<i64>(), any::<i64>()).prop_map(|(width, height)| Size::Box(Sides { width, height })),
            ]),
            proptest::option::of(proptest::collection::btree_map("[a-zé_][a-z0-9é._-]{0,5}", text(), 0..4)),
            proptest::option::of((any::<i64>(), text())),
        ),
    );
    leaf.prop_map(|((id, rating, color, name), (is_open, tags, photos, items), (size, labels, pair))| Shop {
        id,
        rating: rating.map(|rating| f64::from(rating) / 8.0),
        color,
        name,
        is_open: is_open.map(Nullable::from),
        tags,
        photos,
        items,
        size,
        labels: labels.map(|labels| labels.into_iter().collect()),
        inner: None,
        pair,
    })
}

pub(super) static STATUS: Schema = Schema::text_enum(&[Literal::Text("open"), Literal::Text("closed")]);

pub(super) static CONTENT: Content = Content::new("application/xml", ContentFormat::Xml(&ROOT), &SHOP);
