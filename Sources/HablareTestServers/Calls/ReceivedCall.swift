package import Foundation
package import HTTPTypes

/// A received call with all its data.
package struct ReceivedCall: Sendable {
    /// The number of the call at its server, from 0.
    package let number: Int
    /// The method.
    package let method: HTTPRequest.Method
    /// The target in the request line, with its query, such as `/v1/voices?page=2`.
    package let target: String
    /// The header fields, in the order of their arrival.
    package let fields: HTTPFields
    /// The whole body.
    package let body: Data
    /// The number of the connection at its server, from 0.
    package let connection: Int

    /// The path, decoded and without the query.
    package var path: String { parts?.path ?? target }

    /// The decoded query items, in order.
    package var query: [(name: String, value: String)] {
        (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    }

    /// Returns the first value of a query item.
    package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the first value of a header field. The letter case of the name is ignored.
    package func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[values: $0].first } }

    private var parts: URLComponents? { URLComponents(string: target) }
}
