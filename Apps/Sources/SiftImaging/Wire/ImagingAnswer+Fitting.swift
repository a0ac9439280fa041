import SiftCore

extension ImagingAnswer {
    /// Returns whether this is an answer to such a request. Failures answer all; a thumbnail file only follows a picture.
    func fits(_ kind: ImagingRequest.Kind, isFirst: Bool) -> Bool {
        switch (content, kind) {
        case (.failure, _): !isFirst
        case (.header, .header), (.features, .features): !isFirst
        case (.rendition(let rendition), .embedded): !isFirst && rendition.isEmbedded
        case (.rendition(let rendition), .rendition(let edge)):
            !rendition.isEmbedded && (edge == 0 || max(rendition.width, rendition.height) <= edge)
        case (.thumbnailFile, .rendition): !isFirst
        default: false
        }
    }
}

extension ImagingAnswer.Content {
    /// Whether the content says that the job failed.
    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
