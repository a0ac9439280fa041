import Foundation
import Hablare
import HablareJSON

extension BatchHandle {
    /// The maximum length of an id in bytes. Real ids are shorter.
    private static let longestName = 1024

    /// Reads a stored resume handle. Returns `nil` for a form that this version does not understand.
    init?(_ data: Data) {
        guard let value = ParameterValue(lenientJSON: data), let batch = value[member: "batch"]?.string,
            let name = value[member: "name"]?.string, Self.isName(batch), Self.isName(name)
        else { return nil }
        self.init(batch: batch, name: name)
    }

    /// Returns the bytes to store.
    func data() throws(AIServiceError) -> Data {
        try ParameterValue.object(["batch": .string(batch), "name": .string(name)]).jsonData()
    }

    static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= longestName }
}
