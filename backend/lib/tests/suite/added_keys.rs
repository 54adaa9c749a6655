//! Index keys of numbers that are added to: what is not known of an item stays, and comes when it is needed.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::{Change, Error, Item};

use crate::corners::{
    Corners, EnlargeTank, Tank, TankKey, Tool, ToolKey, UseTank, UseTool, corners, stored, text,
};
use crate::support::Place;

fn tank(held: i64, volume: i64) -> Tank {
    Tank {
        tank: "t".to_owned(),
        hall: "h".to_owned(),
        held,
        volume,
        worn: None,
    }
}

async fn the_tank(place: &Place, corners: &Corners) -> Item {
    stored(place, corners, "TANK#t", "METADATA").await.unwrap()
}

#[tokio::test]
async fn an_item_stays_in_an_index_that_is_sorted_by_what_is_added_to() {
    let (place, corners) = corners().await;
    let hammer = Tool {
        tool: "hammer".to_owned(),
        hall: "h".to_owned(),
        worn: 1,
    };
    corners.tools.items().insert(hammer).await.unwrap();
    let key = ToolKey::new("hammer");
    let used = corners.tools.use_tool(&key, UseTool { add_worn: 4 });
    assert_eq!(used.await.unwrap().worn, 5);
    let item = stored(&place, &corners, "TOOL#hammer", "METADATA").await;
    assert_eq!(item.unwrap()["GSI3PK"], text("TOOLS#h"));
    let found = corners.tools.tools_by_wear("h").page().await.unwrap();
    assert_eq!(found.items.len(), 1, "it is still listed");
    assert_eq!(found.items[0].worn, 5);
}

#[tokio::test]
async fn the_first_number_brings_an_item_into_its_index() {
    let (place, corners) = corners().await;
    corners.tanks.items().insert(tank(0, 9)).await.unwrap();
    assert!(!the_tank(&place, &corners).await.contains_key("GSI3PK"));
    let key = TankKey::new("t");
    for _ in 0..2 {
        let used = corners
            .tanks
            .use_tank(&key, |_| Ok::<_, Error>(UseTank { add_worn: 1 }));
        used.await.unwrap();
    }
    let item = the_tank(&place, &corners).await;
    assert_eq!(item["GSI3PK"], text("TANKS#h"));
    assert_eq!(item["worn"], AttributeValue::N("2".to_owned()));
    let found = corners.tanks.tanks_by_wear("h").page().await.unwrap();
    assert_eq!(found.items.len(), 1);
}

#[tokio::test]
async fn what_others_are_compared_with_decides_about_an_index() {
    let (_place, corners) = corners().await;
    corners.tanks.items().insert(tank(5, 5)).await.unwrap();
    let free = || async {
        let found = corners.tanks.free_tanks("h").page().await.unwrap();
        found.items.len()
    };
    assert_eq!(free().await, 0);
    let key = TankKey::new("t");
    for (volume, expected) in [(6, 1), (7, 1), (5, 0)] {
        let changed = corners.tanks.enlarge_tank(&key, |_| {
            let volume = Change::Set(volume);
            Ok::<_, Error>(EnlargeTank { volume })
        });
        changed.await.unwrap();
        assert_eq!(free().await, expected, "a volume of {volume}");
    }
}
