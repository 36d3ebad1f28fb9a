let isOpen = false

/** Whether this tab shows the wall: its refreshes keep the session in use for it. */
export const isWallOpen = (): boolean => isOpen

export const setWallOpen = (now: boolean): void => void (isOpen = now)
