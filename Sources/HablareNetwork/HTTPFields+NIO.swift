import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// Converts NIO's header fields. Fields with an invalid name are left out.
    init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPHeaders {
    /// Adds HTTP fields.
    mutating func add(_ fields: HTTPFields) {
        for field in fields { add(name: field.name.rawName, value: field.value) }
    }
}
