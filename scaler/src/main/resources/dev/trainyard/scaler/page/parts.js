// The building blocks of the page. Data from the scaler is inserted as text, never as markup.

export const HOUR = 3600;
const SVG = 'http://www.w3.org/2000/svg';
export const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const el = (tag, className, ...content) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.map(part => part instanceof Node ? part : String(part)));
  return made;
};
export const svg = (tag, attributes, ...content) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
};
export const plural = (count, one, many = one + 's') => `${number.format(count)} ${count === 1 ? one : many}`;
export const seconds = time => Date.parse(time) / 1000;
export const clock = time => { const [, hours] = time.split('T'); return hours.slice(0, 8); };

/** Formats an age in seconds as kubectl does. */
export const age = s => {
  s = Math.max(0, Math.round(s));
  if (s < 120) return `${s}s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h${minutes % 60 ? (minutes % 60) + 'm' : ''}` : `${Math.floor(hours / 24)}d`;
};
