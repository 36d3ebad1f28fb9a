/** Open incidents at one time: how many, and the ids that are known. */
export interface Opened {
  total: number
  ids: ReadonlySet<string>
}

/** Whether an incident is new: its id, or one more where not all ids are known. Nothing is before the first answer. */
export const isNewIncident = (before: Opened | undefined, now: Opened): boolean =>
  before !== undefined && (now.total > before.total || [...now.ids].some((id) => !before.ids.has(id)))

/** Two short tones. `context` was made in a click: browsers are silent otherwise. */
export function sound(context: AudioContext): void {
  for (const [index, frequency] of [880, 660].entries()) {
    const [oscillator, gain] = [context.createOscillator(), context.createGain()]
    const at = context.currentTime + index * 0.25
    oscillator.frequency.value = frequency
    // Without the fades each tone begins and ends with a click.
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(0.25, at + 0.02)
    gain.gain.linearRampToValueAtTime(0, at + 0.22)
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(at)
    oscillator.stop(at + 0.23)
  }
}
