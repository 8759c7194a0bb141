# small: u8[2,32,32,3]
# medium: u8[8,224,224,3]
# large: u8[64,224,224,3]
# dtypes: f32


def f(image):
    return (image.permute(0, 3, 1, 2).float() / 255 - 0.5).contiguous() * 2
