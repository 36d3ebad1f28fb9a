export const paletteActions = {
  /** What is typed before a name. */
  words: { acknowledge: 'acknowledge', check: 'check', pause: 'pause', resume: 'resume', silence: 'silence' },
  acknowledge: (name: string) => `Acknowledge: ${name}`,
  check: (name: string) => `Check ${name} now`,
  pause: (name: string) => `Pause ${name}`,
  resume: (name: string) => `Resume ${name}`,
  silence: (name: string) => `Silence ${name} for an hour`,
  silenced: (name: string, time: string) => `${name} is silent until ${time}`,
}
