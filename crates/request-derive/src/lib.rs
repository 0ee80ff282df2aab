//! `#[derive(Request)]`: the table of fields of a request, and how it is read, from its struct.
//!
//! The first line of a field's comment is its help. `#[field(...)]` says the rest:
//!
//! - `long`, `long = "word"`, `short`, `short = 'w'`: its flag; without one it stands by itself. Its name in JSON is that of the flag.
//! - `alias = "word"`: a former name. `value_name`, `heading`, `hidden`: how help shows it.
//! - `default = value`; `words = list`, and `only_words` where no other is read; `min`, `max`; `check = function` of a text.
//! - `required`, `unless("other")`, `conflicts("other", ...)`, `requires("other", ...)`, by the names of fields.
//! - `bare`: the flag may stand without a value, which is an empty text then.
//! - `split`: commas separate several. `several`: the flag takes all words behind it. `hyphens`, `signed`: the value may begin with a dash.
//! - `flatten`: the fields of another request.
//!
//! A type says what a field holds, whether it can be left out (`Option`, `bool`) and whether there can be several (`Vec`).

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, Fields, GenericArgument, Ident, Lit, LitChar, LitStr, Meta,
    PathArguments, Result, Token, Type, parenthesized,
};

/// Derives `ken_verbs::request::Request`.
#[proc_macro_derive(Request, attributes(field, request))]
pub fn request(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a request is a struct"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a request has named fields"));
    };
    let mut fields = Vec::new();
    for field in &named.named {
        fields.push(Member::read(field)?);
    }
    let of_struct = OfStruct::read(input)?;
    let pushed = fields.iter().map(|field| field.pushed(&fields));
    let taken = fields.iter().map(Member::taken);
    let (name, one_of, after_help) = (&input.ident, &of_struct.one_of, &of_struct.after_help);
    Ok(quote! {
        impl ::ken_verbs::request::Request for #name {
            const ONE_OF: &'static [&'static str] = &[#(#one_of),*];
            const AFTER_HELP: &'static str = #after_help;

            fn fields(fields: &mut Vec<::ken_verbs::request::Field>) {
                use ::ken_verbs::request::{Field, FieldKind};
                #(#pushed)*
            }

            fn take(values: &mut ::ken_verbs::request::Values) -> ::ken_verbs::request::Result<Self> {
                Ok(Self { #(#taken),* })
            }
        }
    })
}

/// What `#[request(...)]` says of the whole.
struct OfStruct {
    one_of: Vec<String>,
    after_help: TokenStream,
}

impl OfStruct {
    fn read(input: &DeriveInput) -> Result<OfStruct> {
        let mut read = OfStruct { one_of: Vec::new(), after_help: quote!("") };
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("request")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("one_of") {
                    read.one_of = names(&meta)?;
                } else if meta.path.is_ident("after_help") {
                    let text: Expr = meta.value()?.parse()?;
                    read.after_help = quote!(#text);
                } else {
                    return Err(meta.error("allowed: one_of, after_help"));
                }
                Ok(())
            })?;
        }
        Ok(read)
    }
}

/// One field of the struct.
struct Member {
    ident: Ident,
    about: String,
    holds: Holds,
    is_flattened: bool,
    /// The flag, without its dashes; none for what stands by itself.
    flag: Option<String>,
    short: Option<char>,
    value_name: Option<String>,
    heading: Option<String>,
    aliases: Vec<String>,
    default: Option<Expr>,
    words: Option<Expr>,
    check: Option<Expr>,
    min: Option<Expr>,
    max: Option<Expr>,
    conflicts: Vec<String>,
    requires: Vec<String>,
    unless: Option<String>,
    is_required: bool,
    is_hidden: bool,
    is_signed: bool,
    takes_hyphens: bool,
    is_split: bool,
    takes_several: bool,
    only_words: bool,
    may_be_bare: bool,
}

/// What the type of a field says of it.
struct Holds {
    of: Type,
    is_optional: bool,
    is_many: bool,
    last: String,
}

impl Holds {
    fn read(of: &Type) -> Holds {
        let (last, inside) = parts(of);
        match (last.as_str(), inside) {
            ("Option" | "Vec", Some(inside)) => Holds {
                of: inside.clone(),
                is_optional: last == "Option",
                is_many: last == "Vec",
                last: parts(inside).0,
            },
            _ => Holds { of: of.clone(), is_optional: false, is_many: false, last },
        }
    }

    fn is_integer(&self) -> bool {
        matches!(self.last.as_str(), "usize" | "u64" | "u32" | "u16")
    }

    fn kind(&self) -> TokenStream {
        match self.last.as_str() {
            "bool" => quote!(Switch),
            "f64" => quote!(Number),
            "Content" => quote!(Content),
            _ if self.is_integer() => quote!(Integer),
            _ => quote!(Text),
        }
    }
}

/// The last word of a type's path, and the type in its brackets.
fn parts(of: &Type) -> (String, Option<&Type>) {
    let Type::Path(path) = of else { return (String::new(), None) };
    let Some(last) = path.path.segments.last() else { return (String::new(), None) };
    let inside = match &last.arguments {
        PathArguments::AngleBracketed(inside) => inside.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(of) => Some(of),
            _ => None,
        }),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    (last.ident.to_string(), inside)
}

impl Member {
    fn read(field: &syn::Field) -> Result<Member> {
        let ident = field.ident.clone().expect("the fields are named");
        let mut read = Member {
            about: about(&field.attrs),
            holds: Holds::read(&field.ty),
            is_flattened: false,
            flag: None,
            short: None,
            value_name: None,
            heading: None,
            aliases: Vec::new(),
            default: None,
            words: None,
            check: None,
            min: None,
            max: None,
            conflicts: Vec::new(),
            requires: Vec::new(),
            unless: None,
            is_required: false,
            is_hidden: false,
            is_signed: false,
            takes_hyphens: false,
            is_split: false,
            takes_several: false,
            only_words: false,
            may_be_bare: false,
            ident,
        };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("field")) {
            attribute.parse_nested_meta(|meta| read.say(&meta))?;
        }
        if read.about.is_empty() && !read.is_flattened {
            return Err(Error::new_spanned(&read.ident, "a field says in its comment what it is for"));
        }
        Ok(read)
    }

    /// Reads one word of `#[field(...)]`.
    fn say(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        let Some(word) = meta.path.get_ident().map(Ident::to_string) else {
            return Err(meta.error("a word was expected"));
        };
        match word.as_str() {
            "flatten" => self.is_flattened = true,
            "long" => {
                let usual = self.ident.to_string().replace('_', "-");
                self.flag = Some(value::<LitStr>(meta)?.map_or(usual, |text| text.value()));
            }
            "short" => {
                let usual = self.ident.to_string().chars().next();
                self.short = value::<LitChar>(meta)?.map(|sign| sign.value()).or(usual);
            }
            "value_name" => self.value_name = Some(meta.value()?.parse::<LitStr>()?.value()),
            "heading" => self.heading = Some(meta.value()?.parse::<LitStr>()?.value()),
            "alias" => self.aliases.push(meta.value()?.parse::<LitStr>()?.value()),
            "default" => self.default = Some(meta.value()?.parse()?),
            "words" => self.words = Some(meta.value()?.parse()?),
            "check" => self.check = Some(meta.value()?.parse()?),
            "min" => self.min = Some(meta.value()?.parse()?),
            "max" => self.max = Some(meta.value()?.parse()?),
            "conflicts" => self.conflicts.extend(names(meta)?),
            "requires" => self.requires.extend(names(meta)?),
            "unless" => self.unless = names(meta)?.pop(),
            "required" => self.is_required = true,
            "hidden" => self.is_hidden = true,
            "signed" => self.is_signed = true,
            "hyphens" => self.takes_hyphens = true,
            "split" => self.is_split = true,
            "several" => self.takes_several = true,
            "only_words" => self.only_words = true,
            "bare" => self.may_be_bare = true,
            _ => return Err(meta.error("unknown word of a field")),
        }
        Ok(())
    }

    /// Its name in JSON: that of its flag, or of the struct's field.
    fn name(&self) -> String {
        let flag = self.flag.as_ref().map(|flag| flag.replace('-', "_"));
        flag.unwrap_or_else(|| self.ident.to_string())
    }

    /// Adds it to the table.
    fn pushed(&self, all: &[Member]) -> TokenStream {
        let of = &self.holds.of;
        if self.is_flattened {
            return quote!(<#of as ::ken_verbs::request::Request>::fields(fields););
        }
        let named = |names: &[String]| -> Vec<String> {
            let name = |given: &String| {
                all.iter().find(|other| other.ident == given).map_or_else(|| given.clone(), Member::name)
            };
            names.iter().map(name).collect()
        };
        let (name, about, kind) = (self.name(), &self.about, self.holds.kind());
        let Holds { is_optional, is_many, last, .. } = &self.holds;
        let mut said = Vec::new();
        let mut say = |field: &str, value: TokenStream| {
            let field = Ident::new(field, Span::call_site());
            said.push(quote!(#field: #value,));
        };
        if *is_many {
            say("many", quote!(true));
        }
        let is_given = *is_optional || *is_many || last == "bool" || self.default.is_some();
        if self.is_required || !is_given {
            say("required", quote!(true));
        }
        if let Some(flag) = &self.flag {
            say("flag", quote!(Some(#flag)));
        }
        if let Some(short) = self.short {
            say("short", quote!(Some(#short)));
        }
        let value_name = self.value_name.clone().unwrap_or_else(|| self.ident.to_string().to_uppercase());
        say("value_name", quote!(#value_name));
        if let Some(heading) = &self.heading {
            say("heading", quote!(Some(#heading)));
        }
        for (field, names) in [
            ("aliases", self.aliases.clone()),
            ("conflicts", named(&self.conflicts)),
            ("requires", named(&self.requires)),
        ] {
            if !names.is_empty() {
                say(field, quote!(&[#(#names),*]));
            }
        }
        if let Some(unless) = &self.unless {
            let unless = named(std::slice::from_ref(unless)).remove(0);
            say("unless", quote!(Some(#unless)));
        }
        if let Some(default) = &self.default {
            let default = match default {
                Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => quote!(#default.to_owned()),
                other => quote!((#other).to_string()),
            };
            say("default", quote!(Some(|| #default)));
        }
        if let Some(words) = &self.words {
            say("words", quote!(|| -> &'static [&'static str] { #words }));
        }
        if let Some(check) = &self.check {
            say("check", quote!(Some(#check)));
        }
        if self.holds.is_integer() {
            let min = self.min.as_ref().map_or_else(|| quote!(0), |min| quote!((#min) as u64));
            let max =
                self.max.as_ref().map_or_else(|| quote!(<#of>::MAX as u64), |max| quote!((#max) as u64));
            say("range", quote!((#min, #max)));
        }
        for (field, is_so) in [
            ("hidden", self.is_hidden),
            ("signed", self.is_signed),
            ("hyphens", self.takes_hyphens),
            ("split", self.is_split),
            ("several", self.takes_several),
            ("only_words", self.only_words),
            ("may_be_bare", self.may_be_bare),
            ("names_a_file", last == "PathBuf" || last == "Content"),
        ] {
            if is_so {
                say(field, quote!(true));
            }
        }
        quote! {
            fields.push(Field { #(#said)* ..Field::plain(#name, #about, FieldKind::#kind) });
        }
    }

    /// Reads it.
    fn taken(&self) -> TokenStream {
        let (ident, of, name) = (&self.ident, &self.holds.of, self.name());
        match self.is_flattened {
            true => quote!(#ident: <#of as ::ken_verbs::request::Request>::take(values)?),
            false => quote!(#ident: values.take(#name)?),
        }
    }
}

/// The value of a word, where it has one.
fn value<T: Parse>(meta: &ParseNestedMeta) -> Result<Option<T>> {
    match meta.input.peek(Token![=]) {
        true => meta.value()?.parse().map(Some),
        false => Ok(None),
    }
}

/// The names in the brackets of a word.
fn names(meta: &ParseNestedMeta) -> Result<Vec<String>> {
    let inside;
    parenthesized!(inside in meta.input);
    let names = inside.parse_terminated(|input| input.parse::<LitStr>(), Token![,])?;
    Ok(names.iter().map(LitStr::value).collect())
}

/// The first line of a comment, as help says it: without a stop at its end.
fn about(attributes: &[syn::Attribute]) -> String {
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
        {
            let text = text.value();
            let text = text.trim();
            return text.strip_suffix('.').filter(|text| !text.ends_with('.')).unwrap_or(text).to_owned();
        }
    }
    String::new()
}
