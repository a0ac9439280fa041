/// The bytes of the command line.
public enum ArgumentText {
    /// Returns whether all arguments are UTF-8. Others cannot be told apart once they are text.
    public static func isText(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) -> Bool {
        UnsafeBufferPointer(start: arguments, count: count).compactMap(\.self).allSatisfy { word in
            String(validatingCString: word) != nil
        }
    }
}
