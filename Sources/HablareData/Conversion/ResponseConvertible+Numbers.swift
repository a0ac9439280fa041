public import Foundation
public import Hablare

extension ConversionContext {
    /// Returns a content's number as text. White space around the number is allowed.
    fileprivate func number(of content: ResponseContent, as type: Any.Type) throws -> String {
        switch content {
        case .structured(.int(let value)): String(value)
        case .structured(.double(let value)): String(value)
        case .text, .structured(.string): try String.value(of: content, in: self).trimmed
        case .structured, .data, .audio, .image, .embedding: throw mismatch(content, type)
        }
    }

    /// Returns an integer. A number such as `3.0`, whose fraction is zero, counts as an integer.
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
    /// Returns the integer of a structured answer, or of a text that consists of one integer.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Int {
        try context.integer(content, Self.self)
    }
}

extension Int32: ResponseConvertible {
    /// Returns the integer of a structured answer, or of a text that consists of one integer.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Int32 {
        try context.integer(content, Self.self)
    }
}

extension Int64: ResponseConvertible {
    /// Returns the integer of a structured answer, or of a text that consists of one integer.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Int64 {
        try context.integer(content, Self.self)
    }
}

extension Double: ResponseConvertible {
    /// Returns the number of a structured answer, or of a text that consists of one number. The number is always
    /// finite.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Double {
        guard let value = Double(try context.number(of: content, as: Self.self)), value.isFinite else {
            throw context.unreadable(content, as: Self.self)
        }
        return value
    }
}

extension Float: ResponseConvertible {
    /// Returns the number of a structured answer, or of a text that consists of one number, as the nearest `Float`. The
    /// number is always finite.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Float {
        guard let value = Float(try context.number(of: content, as: Self.self)), value.isFinite else {
            throw context.unreadable(content, as: Self.self)
        }
        return value
    }
}

extension Decimal: ResponseConvertible {
    /// Returns the number of a structured answer, or of a text that consists of one number. No digit of the number is
    /// lost.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Decimal {
        let text = try context.number(of: content, as: Self.self)
        // `Decimal(string:)` accepts a number at the start of a text, so "12 apples" must be excluded here.
        let isNumber = Double(text)?.isFinite == true && !text.lowercased().hasPrefix("0x")
        guard isNumber, let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
            throw context.unreadable(content, as: Self.self)
        }
        return value
    }
}
