import Hablare

extension AIResponseData {
    /// The approximate size of the content in memory, in bytes; 0 if the response has no content.
    var byteCount: Int {
        switch result {
        case .success(let content): Int(clamping: content.keptByteCount)
        case .failure: 0
        }
    }
}
