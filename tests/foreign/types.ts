// Uses the types that openapi-typescript has made, so that `tsc --strict` checks them.

import type { components, operations } from "./document";

type Schemas = components["schemas"];

export const icon: operations["get_icon"]["parameters"]["path"] = { id: 135458005671585 };

export const sound: Schemas["SoundEffectRequest"] = { text: "gentle rain", duration_seconds: 4 };

// Each has a rule over several of its fields, beside which its own fields must stay.
export const video: Schemas["ImageToVideoRequest"]["prompt"] = "a lake at dawn";
export const style: Schemas["ImagegenStyle"]["name"] = "watercolour";

// @ts-expect-error: a number is not a prompt.
export const wrong: Schemas["ImageToVideoRequest"]["prompt"] = 1;
