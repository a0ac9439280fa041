package import Foundation
package import HTTPTypes

/// A call as it arrived: everything that a client said.
package struct ReceivedCall: Sendable {
    /// Which call of the server this is, from 0.
    package let number: Int
    /// What is to be done.
    package let method: HTTPRequest.Method
    /// The target as it stands in the first line, with its query: `/v1/voices?page=2`.
    package let target: String
    /// The fields, in the order in which they came.
    package let fields: HTTPFields
    /// The whole body.
    package let body: Data
    /// Which connection of the server it came on, from 0.
    package let connection: Int

    /// The path, decoded and without the query.
    package var path: String { parts?.path ?? target }

    /// What is asked beside the path, decoded, in its order.
    package var query: [(name: String, value: String)] {
        (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    }

    /// The first value that is asked for by a name.
    package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The first value of a field, by its name in any case.
    package func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[values: $0].first } }

    private var parts: URLComponents? { URLComponents(string: target) }
}
