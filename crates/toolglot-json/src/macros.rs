//! JSON literals in Rust's source.

/// Returns a value written as JSON, with Rust expressions for values and keys.
///
/// # Example
/// ```
/// let (name, list) = ("ls", vec![1, 2]);
/// let value = toolglot_json::json!({"name": name, "list": list, name: [null, true, {"half": 0.5}]});
/// assert_eq!(value.to_string(), r#"{"name":"ls","list":[1,2],"ls":[null,true,{"half":0.5}]}"#);
/// ```
#[macro_export]
macro_rules! json {
    (null) => { $crate::Value::Null };
    ([$($items:tt)*]) => { $crate::json!(@items [] $($items)*) };
    ({$($members:tt)*}) => { $crate::json!(@members [] $($members)*) };

    (@items [$($done:expr,)*]) => { $crate::Value::Array(::std::vec![$($done),*]) };
    (@items [$($done:tt)*] null $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done)* $crate::Value::Null,] $($($rest)*)?)
    };
    (@items [$($done:tt)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done)* $crate::json!([$($inner)*]),] $($($rest)*)?)
    };
    (@items [$($done:tt)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done)* $crate::json!({$($inner)*}),] $($($rest)*)?)
    };
    (@items [$($done:tt)*] $item:expr $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done)* $crate::ToJson::to_json(&$item),] $($($rest)*)?)
    };

    (@members [$($done:expr,)*]) => {
        $crate::Value::Object(<$crate::Map as ::std::iter::FromIterator<(::std::string::String, $crate::Value)>>::from_iter([
            $($done),*
        ]))
    };
    (@members [$($done:tt)*] $key:tt: null $(, $($rest:tt)*)?) => {
        $crate::json!(@members [$($done)* ($key.into(), $crate::Value::Null),] $($($rest)*)?)
    };
    (@members [$($done:tt)*] $key:tt: [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json!(@members [$($done)* ($key.into(), $crate::json!([$($inner)*])),] $($($rest)*)?)
    };
    (@members [$($done:tt)*] $key:tt: {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json!(@members [$($done)* ($key.into(), $crate::json!({$($inner)*})),] $($($rest)*)?)
    };
    (@members [$($done:tt)*] $key:tt: $value:expr $(, $($rest:tt)*)?) => {
        $crate::json!(@members [$($done)* ($key.into(), $crate::ToJson::to_json(&$value)),] $($($rest)*)?)
    };

    ($value:expr) => { $crate::ToJson::to_json(&$value) };
}
