public import Foundation
public import Hablare

extension ConversionContext {
    /// The number that a content is, as text; a text may have white space around it.
    fileprivate func number(of content: ResponseContent, as type: Any.Type) throws -> String {
        switch content {
        case .structured(.int(let value)): String(value)
        case .structured(.double(let value)): String(value)
        case .text, .structured(.string): try String.value(of: content, in: self).trimmed
        case .structured, .data, .audio, .image, .embedding: throw mismatch(content, type)
        }
    }

    /// A whole number. One that was written with a fraction of zero (`3.0`) is one, too.
    fileprivate func integer<Value: FixedWidthInteger>(_ content: ResponseContent, _ type: Value.Type) throws -> Value {
        let text = try number(of: content, as: type)
        if let value = Value(text) { return value }
        guard let fraction = Double(text), let value = Value(exactly: fraction) else {
            throw unreadable(content, as: type)
        }
        return value
    }
}

extension Int: ResponseConvertible {
    /// A structured whole number, or a text that is nothing but one.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Int {
        try context.integer(content, Self.self)
    }
}

extension Int32: ResponseConvertible {
    /// A structured whole number, or a text that is nothing but one.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Int32 {
        try context.integer(content, Self.self)
    }
}

extension Int64: ResponseConvertible {
    /// A structured whole number, or a text that is nothing but one.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Int64 {
        try context.integer(content, Self.self)
    }
}

extension Double: ResponseConvertible {
    /// A structured number, or a text that is nothing but one. Always finite.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Double {
        guard let value = Double(try context.number(of: content, as: Self.self)), value.isFinite else {
            throw context.unreadable(content, as: Self.self)
        }
        return value
    }
}

extension Float: ResponseConvertible {
    /// A structured number, or a text that is nothing but one; the nearest `Float`, always finite.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Float {
        guard let value = Float(try context.number(of: content, as: Self.self)), value.isFinite else {
            throw context.unreadable(content, as: Self.self)
        }
        return value
    }
}

extension Decimal: ResponseConvertible {
    /// A structured number, or a text that is nothing but one, with all the digits that it is written with.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Decimal {
        let text = try context.number(of: content, as: Self.self)
        // `Decimal(string:)` takes the beginning of a text for the number: "12 apples" is none.
        let isNumber = Double(text)?.isFinite == true && !text.lowercased().hasPrefix("0x")
        guard isNumber, let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
            throw context.unreadable(content, as: Self.self)
        }
        return value
    }
}
