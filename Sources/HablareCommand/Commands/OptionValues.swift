public import ArgumentParser
public import Hablare
public import HablareSpeech

extension RequestPhase: ExpressibleByArgument {}
extension TextSegmenter.Unit: ExpressibleByArgument {}
