import Hablare

extension AIResponseData {
    /// What the content takes in memory, about, in bytes; nothing where there is none.
    var byteCount: Int {
        switch result {
        case .success(let content): Int(clamping: content.keptByteCount)
        case .failure: 0
        }
    }
}
