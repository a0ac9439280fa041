import Foundation
import Hablare
import HablareTestKit

/// A store that replaces every answer's content.
struct DamagedStore: ForwardingStore {
    let base: any RequestStore
    private let content: ResponseContent

    init(_ base: any RequestStore, having content: ResponseContent) {
        self.base = base
        self.content = content
    }

    func response(of id: UUID) throws -> AIResponseData? {
        guard let response = try base.response(of: id) else { return nil }
        return AIResponseData(
            requestID: id, providerID: response.providerID, result: .success(content), receivedAt: response.receivedAt)
    }
}
