extension PhotoAction.Kind {
    /// The property that decisions of this kind set; nil if they set none.
    var sidecarProperty: XMPSidecar.Property? {
        switch self {
        case .rating: .rating
        case .label: .label
        case .favourite: .pick
        default: nil
        }
    }
}

extension PhotoMarks {
    /// Returns the value that a property has for these marks; nil if the sidecar has none.
    func value(of property: XMPSidecar.Property) -> String? {
        switch property {
        case .rating: rating.map(String.init)
        case .label: label
        case .pick: isFavourite ? "3" : nil
        }
    }
}
