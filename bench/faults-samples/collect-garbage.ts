/**
 * Loaded before a program whose memory is measured (`--expose-gc --import`): it collects all
 * garbage on a message, so that only live memory is measured.
 */
process.on('message', (message) => {
  if (message !== 'collect') return
  for (let turn = 0; turn < 3; turn += 1) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  process.send?.('collected')
})
// The channel must not keep the program from ending.
process.channel?.unref()
