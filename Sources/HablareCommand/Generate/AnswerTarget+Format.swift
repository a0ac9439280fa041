import Foundation
import Hablare

extension AnswerTarget {
    /// Parameters with the format that a service's answer must have to be what the file's name says, as `speak` and `image`
    /// choose it. Where it chooses for itself, an answer that is paid for may not be what was wanted.
    ///
    /// - Parameter given: What the command line says: its own format counts.
    /// - Throws: ``CommandFailure`` with status ``CommandStatus/usage`` where no answer becomes what the name says.
    func parameters(
        _ given: [String: ParameterValue], of installed: InstalledProvider
    ) throws -> [String: ParameterValue] {
        guard installed.service != nil, case .file(let file) = self, !file.pathExtension.isEmpty else { return given }
        let format: String?
        switch installed.provider.responseType {
        case .audio where installed.serviceVoices?.sound != nil:
            format = try SpokenFormat(nil, file: file, pieces: 1, given: given["format"]?.text, of: installed).parameter
        case .image:
            let places = PicturePlaces(.file(file), count: 1)
            try places.checkEnding(of: installed)
            format = try places.format(given: given["format"]?.text)
        default: format = nil
        }
        return given.merging(format.map { ["format": .string($0)] } ?? [:]) { $1 }
    }
}
