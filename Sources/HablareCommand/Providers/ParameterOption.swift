import ArgumentParser
import Foundation
import Hablare
import HablareJSON
import HablareProviders

struct ParameterOption: ExpressibleByArgument, Sendable, Hashable {
    let name: String
    let value: ParameterValue
    /// The value for a service. If the text is a JSON object, list or Boolean value, the value is that JSON. Otherwise
    /// it is ``value``.
    let serviceValue: ParameterValue

    /// Creates a parameter from a value that already has a type.
    init(name: String, value typed: ParameterValue) throws(AIServiceError) {
        self.name = name
        serviceValue = typed
        value =
            switch typed {
            case .int, .double, .string: typed
            default: .string(String(decoding: try typed.jsonData(), as: UTF8.self))
            }
    }

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        let text = String(argument[argument.index(after: equals)...])
        if let whole = Int64(text) {
            value = .int(whole)
        } else if let number = Double(text), number.isFinite {
            value = .double(number)
        } else {
            value = .string(text)
        }
        switch ParameterValue(json: Data(text.utf8)) {
        case .bool(let flag)?: serviceValue = .bool(flag)
        case .array(let elements)?: serviceValue = .array(elements)
        case .object(let members)?: serviceValue = .object(members)
        default: serviceValue = value
        }
    }
}

extension InstalledProvider {
    /// Returns the parameters of a request. They always include the voice, so that a request with another default voice
    /// is another request.
    func parameters(voice: String?, _ options: [ParameterOption]) throws -> [String: ParameterValue] {
        var parameters: [String: ParameterValue] = [:]
        for option in options {
            let value = service == nil ? option.value : option.serviceValue
            guard parameters.updateValue(value, forKey: option.name) == nil else {
                throw CommandFailure(.usage, "The parameter \(option.name) is given twice. Pass it once.")
            }
        }
        if let voice {
            guard parameters["voice"] == nil else {
                throw CommandFailure(.usage, "The voice is given twice. Use only --voice.")
            }
            parameters["voice"] = .string(voice)
        } else if parameters["voice"] == nil, let voice = defaultVoice {
            parameters["voice"] = .string(voice)
        }
        guard service != nil else {
            try check(parameters)
            return parameters
        }
        guard voice == nil || serviceVoices != nil else {
            throw CommandFailure(.usage, "Provider \(provider.id) does not speak. Leave --voice out.")
        }
        return parameters
    }

    func adding(
        _ others: [(option: String, name: String, value: ParameterValue?)], to parameters: [String: ParameterValue]
    ) throws -> [String: ParameterValue] {
        var parameters = parameters
        for (option, name, value) in others {
            guard let value else { continue }
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw CommandFailure(.usage, "The parameter \(name) is given twice. Use only \(option).")
            }
        }
        if service == nil { try check(parameters) }
        return parameters
    }

    /// Throws an error if the provider does not accept the request's prompt or parameters. The check is made before the
    /// request is stored.
    func check(_ request: AIRequest) throws {
        try (provider as? any RequestChecking)?.check(request)
        let count = request.prompt.plainText.unicodeScalars.count
        guard let most = provider.limits.maximumCharacters, count > most else { return }
        throw CommandFailure(
            .badInput, "The prompt has \(count) characters; \(provider.id) accepts \(most) at once. Shorten it.")
    }

    /// Throws an error for parameters with which every request would fail. The check is made before hundreds of
    /// requests are stored.
    func check(_ parameters: [String: ParameterValue]) throws {
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard let placeholder = placeholders.first(where: { $0.name == name }) else {
                let hint = NearestNames(placeholders.map(\.name)).hint(for: name)
                throw CommandFailure(.usage, "Provider \(provider.id) has no parameter \(name).\(hint)")
            }
            _ = try placeholder.text(of: value)
        }
        if let voice = placeholders.first(where: { $0.name == "voice" }), voice.default == nil,
            parameters["voice"] == nil
        {
            throw CommandFailure(.usage, "Provider \(provider.id) needs a voice. Pass one with --voice.")
        }
    }
}
