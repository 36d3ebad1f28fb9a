let live = false

/** True while the event stream is connected and reports changes. */
export const isLive = (): boolean => live

export const setLive = (isOpen: boolean): void => {
  live = isOpen
}
