/**
 * Loaded before a program whose memory is measured (`--expose-gc --import`): it gives back what nobody holds when it is asked to by a
 * message, so that what is measured is what is kept.
 */
process.on('message', (message) => {
  if (message !== 'collect') return
  for (let turn = 0; turn < 3; turn += 1) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  process.send?.('collected')
})
// The channel must not keep the program from ending.
process.channel?.unref()
