import Foundation
import HablareAudio

/// Returns all samples of a piece of audio.
func samples(of source: AudioSource) throws -> [Int16] {
    let decoder = try AudioDecoder(source)
    var all: [Int16] = []
    var block: [Int16] = []
    while try decoder.nextBlock(into: &block) > 0 { all += block }
    return all
}

/// Joins sources into a file.
@discardableResult
func join(_ sources: [AudioSource], into output: URL) throws -> JoinedAudio {
    let joiner = try AudioJoiner(output: output)
    for source in sources { try joiner.append(source) }
    return try joiner.finish()
}
