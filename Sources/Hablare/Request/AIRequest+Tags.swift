extension AIRequest {
    /// The request with each of its tags once.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidRequest`` when there are too many, or one is
    ///   empty or too long.
    func withCheckedTags() throws(AIServiceError) -> AIRequest {
        guard !tags.isEmpty else { return self }
        guard tags.allSatisfy({ (1...Self.maximumTagLength).contains($0.utf8.count) }) else {
            throw AIServiceError(
                .invalidRequest, "A tag has between 1 and \(Self.maximumTagLength) bytes. Shorten it, or leave it out.")
        }
        var request = self
        var seen: Set<String> = []
        request.tags = tags.filter { seen.insert($0).inserted }
        guard request.tags.count <= Self.maximumTags else {
            throw AIServiceError(
                .invalidRequest,
                "The request has \(request.tags.count) tags; it may have \(Self.maximumTags). Keep what costs are to be added up by in tags, and the rest in `metadata`."
            )
        }
        return request
    }
}
