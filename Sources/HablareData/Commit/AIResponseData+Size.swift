import Hablare

extension AIResponseData {
    /// The approximate size of the content in memory, in bytes; 0 if there is none.
    var byteCount: Int {
        switch result {
        case .success(let content): Int(clamping: content.keptByteCount)
        case .failure: 0
        }
    }
}
