export const paletteActions = {
  /** What is typed before a name. */
  words: { acknowledge: 'acknowledge', pause: 'pause', resume: 'resume', silence: 'silence' },
  acknowledge: (name: string) => `Acknowledge: ${name}`,
  pause: (name: string) => `Pause ${name}`,
  resume: (name: string) => `Resume ${name}`,
  silence: (name: string) => `Silence ${name} for an hour`,
  silenced: (name: string, time: string) => `${name} is silent until ${time}`,
}
