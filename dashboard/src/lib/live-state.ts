let live = false

/** Whether a stream of events tells at once what changes, so that nothing has to be asked for it. */
export const isLive = (): boolean => live

export const setLive = (isOpen: boolean): void => {
  live = isOpen
}
