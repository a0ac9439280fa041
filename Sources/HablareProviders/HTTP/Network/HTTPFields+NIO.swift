import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// The library's fields as ours; one whose name no field can have is left out.
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
    /// Adds fields as the library has them.
    mutating func add(_ fields: HTTPFields) {
        for field in fields { add(name: field.name.rawName, value: field.value) }
    }
}
